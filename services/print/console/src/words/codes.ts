/** What the bridge's codes mean to the administrator. The bridge's own sentence is used where it says more. */
export const words = {
  AUTH_REQUIRED: "You are signed out. Sign in again.",
  AUTH_INVALID: "That is not the administrator's token. Copy it again, whole, from the file admin-token.",
  PRINTER_OFFLINE: "The printer does not answer. Is it switched on, and is its address right?",
  TRANSPORT_TIMEOUT: "The printer took too long to answer.",
  PRINTER_UNBOUND: "This printer has no address yet. Edit it and add one.",
  TEMPLATE_PARAMS_MISSING: "Some placeholders have no test value. Fill them in, then print.",
  not_found: "That is not there any more.",
};

const REASONS: Readonly<Record<string, string>> = {
  "paper-out": "out of labels",
  "ribbon-out": "out of ribbon",
  "head-open": "the head is open",
  paused: "paused at the printer",
  offline: "does not answer",
  "not-answering": "does not answer",
  "not-asked-yet": "not asked yet",
  busy: "busy with another job",
  "too-many-jobs": "its queue is full",
  "buffer-full": "its memory is full",
  "over-temperature": "too hot",
  "under-temperature": "too cold",
};

/** Why a printer or a job waits, in words: `out of labels, the head is open`. */
export const reasonsInWords = (reasons: readonly string[]): string =>
  reasons.map((reason) => REASONS[reason] ?? reason.replaceAll("-", " ")).join(", ");

export const asSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export const PRINTER_STATES: Readonly<Record<string, { words: string; color: string }>> = {
  ready: { words: "Ready", color: "pine" },
  printing: { words: "Printing", color: "pine" },
  stopped: { words: "Stopped", color: "clay" },
  offline: { words: "Offline", color: "red" },
  unknown: { words: "Not known", color: "gray" },
};

export const JOB_STATES: Readonly<Record<string, { words: string; color: string; meaning: string }>> = {
  Queued: { words: "Waiting", color: "gray", meaning: "Kept on disk; it waits for its turn." },
  Sending: { words: "Sending", color: "gray", meaning: "On its way to the printer." },
  Printing: { words: "Printing", color: "pine", meaning: "The printer has it and is printing." },
  Held: { words: "Held", color: "clay", meaning: "The printer stopped. It goes on when that is put right." },
  Done: { words: "Done", color: "pine", meaning: "Every label came out." },
  Failed: { words: "Failed", color: "red", meaning: "It was not printed, or not as asked." },
  Unknown: {
    words: "Look at the printer",
    color: "clay",
    meaning:
      "The line broke in the middle, and nobody can tell whether it was printed. Look at the printer, then print again if it is missing. It is never sent twice by itself.",
  },
};

export const VERIFICATIONS = {
  none: "nothing is known yet",
  sent: "the printer took all of it; it does not say more",
  printer: "the printer itself says so",
  rfid: "each tag was read back",
} as const;

export const TRANSPORTS = {
  tcp: "Network",
  usb: "USB",
  serial: "Serial port",
  spooler: "Print queue",
  ipp: "IPP",
  virtual: "Virtual: pictures, no paper",
} as const;

/** By which ways printers are looked for. */
export const VIAS = {
  mdns: "multicast DNS",
  zebra: "Zebra's discovery",
  cups: "CUPS",
  usb: "USB",
  serial: "the list of serial ports",
} as const;

export const LANGUAGES = {
  zpl: "ZPL",
  epl: "EPL",
  cpcl: "CPCL",
  tspl: "TSPL",
  escpos: "ESC/POS",
  sbpl: "SBPL",
} as const;

export const originInWords = (origin: string) => (origin === "console" ? "this console" : origin);
export const LABELS = { one: "# label", other: "# labels" };
