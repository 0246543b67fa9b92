/**
 * A refusal the domain decided on. The code is for programs, the message for people; which HTTP
 * status it becomes is known only at the edge.
 */
export class DomainError<Code extends string = string> extends Error {
  override name = "DomainError";
  readonly code: Code;

  constructor(code: Code, message: string = code.replaceAll("_", " ")) {
    super(message);
    this.code = code;
  }
}
