swift run &
curl "localhost:8080/greeting?name=Ada"
# Welcome, Ada!
curl "localhost:8080/greeting"
# Welcome, stranger!
