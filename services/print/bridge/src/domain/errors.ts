import { DomainError } from "@frontdesk/kit/domain-error";

/** Every refusal the protocol knows: whether trying again may help, and what it means. */
export const ERRORS = {
  ORIGIN_DENIED: { retryable: false, about: "the origin is not in the allow-list, or lacks the right" },
  AUTH_REQUIRED: { retryable: false, about: "a token is needed and none was presented" },
  AUTH_INVALID: { retryable: false, about: "the token was rejected" },
  PRINTER_UNKNOWN: { retryable: false, about: "the origin has no printer of that name" },
  PRINTER_OFFLINE: { retryable: true, about: "the printer does not answer" },
  PRINTER_UNBOUND: { retryable: true, about: "the name stands for no device yet" },
  TEMPLATE_UNKNOWN: { retryable: false, about: "there is no template of that name" },
  TEMPLATE_PARAMS_MISSING: { retryable: false, about: "a placeholder has no value; nothing prints" },
  LANGUAGE_MISMATCH: { retryable: false, about: "the data is in a language the printer does not speak" },
  JOB_UNKNOWN: { retryable: false, about: "the origin has no job of that id" },
  JOB_NOT_CANCELLABLE: { retryable: false, about: "jobs cannot be cancelled" },
  RFID_VOID_LIMIT: { retryable: true, about: "too many labels were voided while encoding" },
  LICENSE_BLOCKED: { retryable: false, about: "the license does not allow it" },
  TRANSPORT_TIMEOUT: { retryable: true, about: "the printer took too long" },
  PAYLOAD_TOO_LARGE: { retryable: false, about: "the request is larger than the limit" },
  RATE_LIMITED: { retryable: true, about: "too many requests, or too many jobs waiting" },
  PROTOCOL_ERROR: { retryable: false, about: "the message is not one the bridge understands" },
  INTERNAL: { retryable: true, about: "the bridge itself failed" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export class BridgeError extends DomainError<ErrorCode> {
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>) {
    super(code, message);
    this.details = details;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}
