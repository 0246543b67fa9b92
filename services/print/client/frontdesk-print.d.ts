export type JobState = "Queued" | "Sending" | "Printing" | "Held" | "Done" | "Failed" | "Unknown";

export interface Printer {
  id: string;
  name: string;
  transport: "tcp" | "usb" | "serial" | "spooler" | "ipp" | "virtual";
  languages: Array<"zpl" | "epl" | "cpcl" | "tspl" | "escpos" | "sbpl">;
  dpmm: number;
  rfid: boolean;
  feedback: "none" | "spooler" | "printer";
  online: boolean;
}

export interface LabelResult {
  index: number;
  printed: boolean;
  encoded: boolean;
  voided: boolean;
  epc: string;
}

export interface JobStatus {
  job_id: string;
  printer: string;
  state: JobState;
  verification: "none" | "sent" | "printer" | "rfid";
  labels: LabelResult[];
  reasons: string[];
  error?: { code: string; message: string };
  created_at: string;
  updated_at: string;
}

export interface PrinterStatus {
  printer: string;
  online: boolean;
  state: "ready" | "printing" | "stopped" | "offline" | "unknown";
  reasons: string[];
  labelsRemaining: number;
  checkedAt: string;
}

export interface Template {
  id: string;
  name: string;
  language: Printer["languages"][number];
  dpmm: number;
  placeholders: number[];
  rfid: boolean;
  version: number;
}

export interface License {
  state: "active" | "expired" | "suspended";
  tier: string;
  rfidEncode: boolean;
  serving: boolean;
  expiresAt: string | null;
}

export interface Hello {
  server: string;
  version: string;
  protocol: number;
  authRequired: boolean;
  license: License;
  limits: Record<string, number>;
}

export type ErrorCode =
  | "ORIGIN_DENIED"
  | "AUTH_REQUIRED"
  | "AUTH_INVALID"
  | "PRINTER_UNKNOWN"
  | "PRINTER_OFFLINE"
  | "PRINTER_UNBOUND"
  | "TEMPLATE_UNKNOWN"
  | "TEMPLATE_PARAMS_MISSING"
  | "LANGUAGE_MISMATCH"
  | "JOB_UNKNOWN"
  | "JOB_NOT_CANCELLABLE"
  | "RFID_VOID_LIMIT"
  | "LICENSE_BLOCKED"
  | "TRANSPORT_TIMEOUT"
  | "PAYLOAD_TOO_LARGE"
  | "RATE_LIMITED"
  | "PROTOCOL_ERROR"
  | "INTERNAL"
  | "CONNECTION_LOST"
  | "TIMEOUT";

export declare class PrintError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Record<string, unknown> | undefined;
}

export interface TokenStore {
  get(): string | undefined;
  /** An empty token is one that was taken back: it is to be forgotten. */
  set(token: string): void;
}

export interface Options {
  appName?: string;
  /** Where the bridge is; several are tried in turn. */
  url?: string | string[];
  token?: string;
  tokenStore?: TokenStore;
  reconnect?: boolean;
  WebSocket?: typeof WebSocket;
}

export interface Events {
  "job.update": (job: JobStatus, seq: number) => void;
  "printer.status": (status: PrinterStatus, seq: number) => void;
  pairing: (pairing: { code: string; expiresAt: string }) => void;
  /** As many pages as may ask to be let in do. The client asks again; a code it had is no longer good. */
  crowded: () => void;
  connected: (hello: Hello) => void;
  disconnected: (why: { code: number }) => void;
  /** Whether the bridge has a print is not known; it is repeated with its key until that is known, or close() is called. */
  repeating: (why: PrintError) => void;
  /** After a lost connection the bridge does not take the page back, and trying again would not help. */
  refused: (error: PrintError) => void;
  /** The bridge no longer keeps all that was missed since a number: what is told now is how things stand. */
  incomplete: (missed: { since: number | undefined }) => void;
}

export declare class FrontdeskPrint {
  constructor(options?: Options);
  connect(): Promise<Hello>;
  listPrinters(): Promise<Printer[]>;
  printerStatus(printer: string): Promise<PrinterStatus>;
  listTemplates(printer?: string): Promise<Template[]>;
  printRaw(
    printer: string,
    data: string | ArrayBuffer | ArrayBufferView,
    options?: { encoding?: "utf8" | "base64" | "hex"; copies?: number; idempotencyKey?: string },
  ): Promise<{ jobId: string }>;
  printTemplate(
    printer: string,
    template: string,
    labels: Array<Array<string | number> | { params: string[] }>,
    options?: { idempotencyKey?: string },
  ): Promise<{ jobId: string }>;
  getJob(jobId: string): Promise<JobStatus>;
  ping(): Promise<{ pong: true; time: string }>;
  on<E extends keyof Events>(event: E, handler: Events[E]): () => void;
  lastSeq: number | undefined;
  close(): void;
}
