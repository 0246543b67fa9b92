/** What an empty database gets, so that the first request works at once. */
export const FIRST_ORG = "home";
export const FIRST_MEMBER = "you@example.org";
