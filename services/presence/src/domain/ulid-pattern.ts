export const ULID_PATTERN = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$";
