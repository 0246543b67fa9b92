/** What sign-in keeps, in the database of the service that uses it. Times are milliseconds since the epoch. */
export interface SigninTables {
  signin_codes: {
    /** What the code is good for, and for nothing else. */
    purpose: string;
    address: string;
    code_hash: string;
    tries: number;
    expires_at: number;
  };
  signin_sessions: {
    id: string;
    /** Whose session it is: an account of the service. */
    subject: string;
    created_at: number;
    last_seen_at: number;
    expires_at: number;
    user_agent: string;
  };
  signin_totp: {
    subject: string;
    /** Sealed with the session keys. */
    secret: string;
    /** Null until the first code was shown to be right. */
    confirmed_at: number | null;
    /** The time step of the last code that was taken: none is taken twice. */
    last_step: number;
  };
  signin_recovery_codes: {
    subject: string;
    code_hash: string;
  };
}
