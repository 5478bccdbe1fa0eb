internal import AccountsCore
internal import Basics

/// The schemas of request and response bodies in the OpenAPI document.
enum AccountsSchemas {
    private static let text: JSON = ["type": "string"]
    private static let optionalText: JSON = ["type": ["string", "null"]]
    private static let number: JSON = ["type": "integer"]
    private static let truth: JSON = ["type": "boolean"]
    private static let time: JSON = ["type": "string", "format": "date-time"]
    private static let optionalTime: JSON = ["type": ["string", "null"], "format": "date-time"]
    private static let phone: JSON = ["type": "string", "pattern": "^\\+[1-9][0-9]{6,14}$"]
    private static let code: JSON = ["type": "string", "pattern": "^[0-9]{6}$"]
    private static let username: JSON = ["type": "string", "pattern": "^[A-Za-z0-9_-]{3,32}$"]

    private static func object(_ properties: JSONObject, optional: Set<String> = []) -> JSON {
        let required = properties.map(\.key).filter { !optional.contains($0) }
        return [
            "type": "object", "properties": .object(properties),
            "required": .array(required.map { .string($0) }),
        ]
    }

    private static func list(_ item: JSON) -> JSON { ["type": "array", "items": item] }

    private static func texts(maximum: [AccountRules.TextField]) -> JSONObject {
        JSONObject(
            maximum.map { field in
                (field.rawValue, ["type": ["string", "null"], "maxLength": .int(field.maximum)])
            }
        )
    }

    private static let avatars: JSON = [
        "type": ["object", "null"],
        "properties": ["avatar": optionalText, "bigAvatar": optionalText, "miniAvatar": optionalText],
    ]

    private static let tokens: JSONObject = [
        "refresh_token": text, "access_token": text, "user_id": number,
    ]

    private static let profile = object([
        "name": text, "username": text, "birthday": optionalText, "city": optionalText, "vk": optionalText,
        "instagram": optionalText, "status": optionalText, "avatar": optionalText, "id": number,
        "last": optionalTime, "online": truth, "created": optionalTime, "phone": text,
        "completed_task": ["type": ["integer", "null"]], "avatars": avatars,
    ])

    private static let session = object([
        "id": text, "device": text, "created": time, "last": time, "current": truth,
    ])

    private static let exportedChat = object([
        "blocked": list(number), "reports": list(["type": "object"]),
        "conversations": list(
            object([
                "withId": number, "name": text, "readId": optionalText, "messages": list(["type": "object"]),
            ])
        ),
        "files": list(object(["id": text, "type": text, "bytes": number, "base_64": optionalText])),
    ])

    private static let change: JSON = {
        var fields = texts(maximum: [.city, .vk, .instagram, .status])
        fields["name"] = [
            "type": "string", "minLength": 1, "maxLength": .int(AccountRules.TextField.name.maximum),
        ]
        fields["username"] = username
        fields["birthday"] = ["type": ["string", "null"], "format": "date"]
        fields["avatar"] = [
            "type": ["object", "null"], "properties": ["filename": text, "base_64": text],
            "required": ["base_64"],
        ]
        return ["type": "object", "properties": .object(fields)]
    }()

    private static let invalid = object([
        "detail": list(
            object([
                "loc": list(["type": ["string", "integer"]]), "msg": text, "type": text,
            ])
        )
    ])

    static let json: JSON = [
        "Success": object(["is_success": truth]),
        "Phone": object(["phone": phone]),
        "PhoneAndCode": object(["phone": phone, "code": code]),
        "Code": object(["code": code]),
        "RefreshToken": object(["refresh_token": text]),
        "Registration": object(
            [
                "phone": phone,
                "name": [
                    "type": "string", "minLength": 1, "maxLength": .int(AccountRules.TextField.name.maximum),
                ],
                "username": username, "registration_token": optionalText,
            ],
            optional: ["registration_token"]
        ),
        "Tokens": object(tokens),
        "CodeCheck": object(
            [
                "refresh_token": optionalText, "access_token": optionalText,
                "user_id": ["type": ["integer", "null"]], "is_user_exists": truth,
                "registration_token": optionalText,
            ],
            optional: ["registration_token"]
        ),
        "Profile": object(["profile_data": profile]),
        "ProfileChange": change,
        "Avatars": object(["avatars": avatars]),
        "Sessions": object(["sessions": list(session)]),
        "Export": object(
            [
                "profile_data": profile, "avatar": ["type": ["object", "null"]], "sessions": list(session),
                "chat": exportedChat, "complete": truth,
            ],
            optional: ["chat"]
        ),
        "Refusal": object(["detail": text]),
        "Unauthorized": object(["detail": text, "body": text]),
        "NotFound": object(["detail": object(["message": text])]),
        "Invalid": invalid,
    ]
}
