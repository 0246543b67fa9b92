import { signinWords } from "@frontdesk/signin/page-words";

/** What refusals mean, for the person who met them; all others have a sentence of the server's own. */
export const words = {
  ...signinWords,
  overloaded: "The server is busy.",
  unavailable: "The server is out of order.",
};
