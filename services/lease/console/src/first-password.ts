/** The password of the user admin that a factory reset has made: told on the page to sign in, until somebody is signed in. */
export const firstPassword: { shown: string | null } = { shown: null };
