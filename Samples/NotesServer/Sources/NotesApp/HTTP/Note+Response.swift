import Hummingbird

extension Note: ResponseEncodable {}
