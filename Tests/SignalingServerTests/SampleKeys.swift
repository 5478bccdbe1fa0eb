/// Keys created for these tests, and tokens that other programs created with them.
enum SampleKeys {
    static let secret = "0123456789abcdef0123456789abcdef"

    /// A private key in the format of `openssl ecparam -name prime256v1 -genkey`.
    static let privateKey = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEICZVl1HTvzukncUMcp12AP7slCkIIEuvambeO16xYdnJoAoGCCqGSM49
        AwEHoUQDQgAEB0fFTaYKWNeq5t4f/zBAaUyQJ5K4csdJORIRNYSRmLw8iy/IX9bT
        PTfnN1EzUICdBbJUnPAk+sYaa/Ne9s0s4w==
        -----END EC PRIVATE KEY-----
        """

    /// The same private key in PKCS #8.
    static let otherPrivateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJlWXUdO/O6SdxQxy
        nXYA/uyUKQggS69qZt47XrFh2cmhRANCAAQHR8VNpgpY16rm3h//MEBpTJAnkrhy
        x0k5EhE1hJGYvDyLL8hf1tM9N+c3UTNQgJ0FslSc8CT6xhpr8172zSzj
        -----END PRIVATE KEY-----
        """

    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEB0fFTaYKWNeq5t4f/zBAaUyQJ5K4
        csdJORIRNYSRmLw8iy/IX9bTPTfnN1EzUICdBbJUnPAk+sYaa/Ne9s0s4w==
        -----END PUBLIC KEY-----
        """

    /// A token for room 7, Ann, as caller, valid until 4102444800.
    ///
    /// It was created with Python's hmac module.
    static let token = """
        eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb29tIjo3LCJuYW1lIjoiQW5uIiwicm9sZSI6ImNhbGxlciIs\
        ImV4cCI6NDEwMjQ0NDgwMH0.OHEFY2ED---NZAhCNTx6yreXDyVzEwUiYqk7EcxlCfc
        """
}
