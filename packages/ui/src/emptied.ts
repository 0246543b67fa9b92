/**
 * Empties a field of which the content was sent, unless something else was typed since: `setName(emptied(name))`. Called as soon as
 * it is written: who types the next one while the list is read again must not lose it.
 */
export const emptied = (sent: string) => (now: string) => (now === sent ? "" : now);
