import { type Static, Type } from "typebox";
import { AuditAction, AuditKind } from "../domain/audit.ts";
import { DiscoveryState } from "../domain/discovery.ts";
import { JobFailure, JobState, LabelResult, Verification } from "../domain/job.ts";
import { License } from "../domain/license.ts";
import { Language, PrinterRecord, PrinterStatus } from "../domain/printer.ts";
import { Rights, TemplateRecord } from "../domain/registry.ts";

const time = Type.String({ format: "date-time" });
const closed = { additionalProperties: false } as const;

export const Refusal = Type.Object({
  error: Type.String({ description: "One of the protocol's codes." }),
  message: Type.String(),
  retryable: Type.Boolean(),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  current: Type.Optional(Type.Unknown({ description: "With 412: the record as it is now." })),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        pointer: Type.String({ description: "The field at fault, as a JSON pointer into the body." }),
        detail: Type.String(),
      }),
    ),
  ),
});
export type Refusal = Static<typeof Refusal>;

/** A reply without a body. */
export const Nothing = Type.Unsafe<undefined>({ type: "null", description: "Done." });

export const fileReply = (type: string, description: string) => ({
  description,
  content: { [type]: { schema: Type.Unsafe<unknown>({ type: "string" }) } },
});

const version = Type.Integer({ description: "One more with each save; for If-Match." });

export const PrinterRow = Type.Object({
  ...PrinterRecord.properties,
  version,
  status: PrinterStatus,
  waiting: Type.Integer({ description: "Jobs that have not ended." }),
});
export type PrinterRow = Static<typeof PrinterRow>;

/** A printer as it is written; a row's version may come back with it and is not read: If-Match says it. */
export const PrinterBody = Type.Object(
  { ...PrinterRecord.properties, version: Type.Optional(Type.Integer()) },
  closed,
);
export type PrinterWritten = PrinterRecord;

export const SavedPrinter = Type.Object({ ...PrinterRecord.properties, version });

/** A job in a list: its labels are counted, not told one by one. */
export const JobRow = Type.Object({
  job_id: Type.String(),
  printer: Type.String({ description: "The printer's own id, whatever the origin calls it." }),
  printer_name: Type.String({ description: "Its name now, or its id where it is gone." }),
  origin: Type.String(),
  state: JobState,
  verification: Verification,
  asked: Type.Integer(),
  printed: Type.Integer(),
  voided: Type.Integer(),
  copies: Type.Integer(),
  language: Type.Union([Language, Type.Null()]),
  rfid: Type.Boolean(),
  reasons: Type.Array(Type.String()),
  error: Type.Union([JobFailure, Type.Null()]),
  created_at: time,
  updated_at: time,
});
export type JobRow = Static<typeof JobRow>;

export const JobSearch = Type.Object({
  cursor: Type.Optional(
    Type.String({ pattern: "^[0-9]{1,15}$", description: "`next_cursor` of the page before." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  state: Type.Optional(JobState),
  printer: Type.Optional(Type.String({ maxLength: 120 })),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: "A part of a job's id, its origin or its printer." }),
  ),
});

/** With any parameter a page of everything that is kept; without, the newest 200 as `jobs`. */
export const JobList = Type.Object({
  jobs: Type.Optional(Type.Array(JobRow)),
  items: Type.Optional(Type.Array(JobRow)),
  next_cursor: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  total: Type.Optional(Type.Integer()),
});

export const JobDetail = Type.Object({
  ...JobRow.properties,
  labels: Type.Array(LabelResult),
  more_labels: Type.Integer({ description: "How many labels there are beyond those listed." }),
  pictures: Type.Array(Type.String(), { description: "Addresses of pictures of the labels, in order." }),
  reprintable: Type.Boolean({ description: "Whether it has ended and what it printed is still kept." }),
});
export type JobDetail = Static<typeof JobDetail>;

export const TemplateRow = Type.Object({
  ...TemplateRecord.properties,
  placeholders: Type.Array(Type.Integer()),
  rfid: Type.Boolean(),
});
export type TemplateRow = Static<typeof TemplateRow>;

export const TemplateVersionRow = Type.Object({
  ...TemplateRecord.properties,
  saved_at: Type.Union([time, Type.Null()], {
    description: "Null for one that was saved before versions were kept.",
  }),
});
export type TemplateVersionRow = Static<typeof TemplateVersionRow>;

export const TemplateBody = Type.Omit(TemplateRecord, ["version"]);
export type TemplateBody = Static<typeof TemplateBody>;

export const PreviewBody = Type.Object(
  {
    language: Language,
    dpmm: PrinterRecord.properties.dpmm,
    widthMm: PrinterRecord.properties.widthMm,
    heightMm: PrinterRecord.properties.heightMm,
    body: Type.String({ maxLength: 1024 * 1024 }),
    values: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 500 }),
  },
  closed,
);
export type PreviewBody = Static<typeof PreviewBody>;

export const Preview = Type.Object({
  placeholders: Type.Array(Type.Integer()),
  rfid: Type.Boolean(),
  problem: Type.Union([Type.String(), Type.Null()], { description: "Why it could not be printed." }),
  text: Type.String({ description: "What would be sent to the printer." }),
  pictures: Type.Array(Type.String(), { description: "PNG in base64, one for each label." }),
  warnings: Type.Array(
    Type.Object({ line: Type.Integer(), column: Type.Integer(), message: Type.String() }),
    { description: "What is likely a slip, in the order it stands; lines and columns count from 1." },
  ),
});
export type Preview = Static<typeof Preview>;

export const OriginRow = Type.Object({
  origin: Type.String(),
  state: Type.Enum(["approved", "denied"]),
  aliases: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
  rights: Rights,
  open: Type.Boolean(),
  version,
  created_at: time,
  tokens: Type.Array(
    Type.Object({
      id: Type.String(),
      created_at: time,
      last_used_at: Type.Union([time, Type.Null()], { description: "To ten minutes; null while unused." }),
    }),
  ),
});
export type OriginRow = Static<typeof OriginRow>;

export const ApprovedOrigin = Type.Object({
  origin: Type.String(),
  state: Type.Enum(["approved", "denied"]),
  aliases: Type.Optional(Type.Record(Type.String(), Type.String())),
  rights: Rights,
  open: Type.Boolean(),
  version,
  createdAt: Type.Integer(),
  token: Type.Optional(Type.String({ description: "Shown this once." })),
});

export const OriginBody = Type.Object(
  {
    origin: Type.String({ maxLength: 300 }),
    printers: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
        description:
          "Names and the printers behind them; null for all printers. Left out, it stays as it was; a new origin gets all.",
      }),
    ),
    rights: Type.Optional(Rights),
    open: Type.Optional(Type.Boolean()),
    code: Type.Optional(
      Type.String({
        maxLength: 20,
        description: "The code of the page that is let in with this; without it no page that waits is.",
      }),
    ),
    issueToken: Type.Optional(
      Type.Boolean({ default: true, description: "A page that paired fetches its token itself." }),
    ),
  },
  closed,
);
export type OriginBody = Static<typeof OriginBody>;

export const PairingRow = Type.Object({
  origin: Type.String(),
  code: Type.String(),
  appName: Type.String(),
  approved: Type.Boolean(),
  expiresAt: Type.Integer(),
});
export type PairingRow = Static<typeof PairingRow>;

export const PairingList = Type.Object({
  pairings: Type.Array(PairingRow),
  crowded: Type.Array(Type.Object({ origin: Type.String(), at: time }), {
    description:
      "Origins of which a page found no place in the last minute, because too many ask in their name.",
  }),
});

const Certificate = Type.Object({
  subject: Type.String(),
  fingerprint: Type.String({ description: "SHA-256." }),
  valid_from: time,
  valid_to: time,
});

export const Tls = Type.Object({
  authority: Certificate,
  certificate: Certificate,
  names: Type.Array(Type.String()),
});
export type Tls = Static<typeof Tls>;

export const TrustReports = Type.Array(
  Type.Object({ store: Type.String(), done: Type.Boolean(), what: Type.String() }),
);
export type TrustReports = Static<typeof TrustReports>;

export const About = Type.Object({
  version: Type.String(),
  node: Type.String(),
  platform: Type.String(),
  started_at: time,
  home: Type.String(),
  listen: Type.String(),
  license_key: Type.Boolean({ description: "Whether licenses can be checked here." }),
  settings: Type.Array(
    Type.Object({ name: Type.String(), value: Type.String(), about: Type.String(), changed: Type.Boolean() }),
  ),
});
export type About = Static<typeof About>;

export const AuditQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({ pattern: "^[0-9]{1,15}$", description: "`next_cursor` of the page before." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  action: Type.Optional(
    Type.Union([AuditKind, AuditAction], {
      description: "An action, or the word before its dot for all of that kind.",
    }),
  ),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: "A part of who did it or of what was changed." }),
  ),
  since: Type.Optional(time),
  until: Type.Optional(Type.String({ format: "date-time", description: "Itself not included." })),
});

export const AuditRow = Type.Object({
  id: Type.String(),
  at: time,
  actor: Type.String({
    description:
      "`session:<name>` (a signed-in browser), `token` (a program with the administrator's token), `cli:<user>` (the command line), `config` (the file of PRINT_CONFIG), `page` (a page that fetched its token), `bridge` (its first start).",
  }),
  action: Type.String({ description: "`printer.added`, `origin.revoked` …" }),
  subject: Type.Union([Type.String(), Type.Null()], {
    description: "What was changed, by its id or origin.",
  }),
  detail: Type.Record(Type.String(), Type.Unknown()),
});
export type AuditRow = Static<typeof AuditRow>;

export const AuditList = Type.Object({
  items: Type.Array(AuditRow),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
  total: Type.Integer(),
});

export { DiscoveryState, License };
