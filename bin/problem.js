/** Something the person at the keyboard can put right: its message is the one sentence they see. */
export class Problem extends Error {}
