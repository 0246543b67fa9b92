/** Where the web app's session API is. */
export const APP_BASE = "/api/v1/app";
