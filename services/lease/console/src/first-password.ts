/** The password of the user admin that a factory reset has made: told once, on the page to sign in. */
export const firstPassword: { shown: string | null } = { shown: null };
