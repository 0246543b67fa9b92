/**
 * A refusal the domain decided on. The code is for programs, the message for people; which HTTP
 * status it becomes is known only at the edge.
 */
export class DomainError<Code extends string = string> extends Error {
  override name = "DomainError";
  readonly code: Code;
  /** When it is worth trying again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, message: string = code.replaceAll("_", " "), retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
