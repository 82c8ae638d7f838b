/// What `--help` prints.
let usage = """
    Serves notes over HTTP and keeps those of each tenant in an SQLite file.

    Every setting is an option or an environment variable; the option goes first.
      --database-folder F    NOTES_DATABASE_FOLDER    the folder that holds the databases (required)
      --accounts-file F      NOTES_ACCOUNTS_FILE      the JSON file that says who may use the server (required)
      --hostname H           NOTES_HOSTNAME           the address to listen on (127.0.0.1)
      --port N               NOTES_PORT               the port to listen on; 0 for any that is free (8080)
      --request-timeout N    NOTES_REQUEST_TIMEOUT    seconds after which a request is cancelled (10)
      --retention-days N     NOTES_RETENTION_DAYS     days after which notes are deleted (never)
      --announcement-url U   NOTES_ANNOUNCEMENT_URL   the service that is told of new notes (none)
      --log-level L          NOTES_LOG_LEVEL          trace, debug, info, notice, warning, error or critical (info)
    """
