import { type Static, type TSchema, Type } from "typebox";
import { AVATAR_STYLES, DEFAULT_STYLE } from "../domain/avatar-style.ts";

export const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description ? { description } : {});

const text = (maxLength: number, description: string) => Type.String({ maxLength, description });
const time = (description: string) => Type.String({ format: "date-time", description });
const freeForm = (description: string) => Type.Object({}, { additionalProperties: true, description });
const strict = { additionalProperties: false };

export {
  EmailBody,
  Mfa,
  MfaBegun,
  MfaConfirmed,
  Ok,
  SessionsReply,
  VerifyBody,
} from "@frontdesk/signin/schemas";

export const Email = Type.Object(
  {
    email: Type.String({ format: "email" }),
    hash: Type.String({ description: "The identity hash of the address." }),
    verified: Type.Boolean(),
    primary: Type.Boolean(),
  },
  { $id: "Email", ...strict },
);
const EmailRef = Type.Unsafe<Static<typeof Email>>({ $ref: "Email#" });

export const Emails = Type.Object({ emails: Type.Array(EmailRef) }, strict);
export const EmailWritten = Type.Object({ ok: Type.Boolean(), email: EmailRef }, strict);
export const PrimaryWritten = Type.Object(
  { ok: Type.Boolean(), email: EmailRef, emails: Type.Array(EmailRef) },
  strict,
);

export const Identity = Type.Object(
  {
    user: Type.Object(
      {
        first_name: nullable(Type.String()),
        last_name: nullable(Type.String()),
        name: Type.String({ description: "What to call the person." }),
        name_version: Type.String({ description: "For If-Match, when the name is changed." }),
        id: Type.String(),
        email: Type.String({ format: "email" }),
        hash: nullable(Type.String(), "The hash of the primary address."),
      },
      strict,
    ),
    emails: Type.Array(EmailRef),
    is_admin: Type.Boolean(),
  },
  { $id: "Identity", ...strict },
);

const Kind = Type.Union([Type.Literal("designed"), Type.Literal("uploaded")]);

export const AvatarConfig = Type.Object(
  {
    kind: Kind,
    collection: nullable(Type.String(), "The collection of a design; null for an upload."),
    config: freeForm("Seed and options, to edit the design again; empty for an upload."),
    version: Type.Integer(),
    updated_at: time("When it was saved."),
  },
  { $id: "AvatarConfig", ...strict },
);
export const AvatarReply = Type.Object(
  { avatar: nullable(Type.Unsafe<Static<typeof AvatarConfig>>({ $ref: "AvatarConfig#" })) },
  strict,
);

/** What the domain judges, and the schema only describes. */
export const DesignBody = Type.Object({
  collection: Type.Optional(
    Type.Unsafe<string>(
      Type.Union(
        AVATAR_STYLES.map((style) => Type.Literal(style)),
        { default: DEFAULT_STYLE },
      ),
    ),
  ),
  seed: Type.Optional(text(256, "What the drawing is drawn from. Default: the hash of the primary address.")),
  options: Type.Optional(freeForm("Options of the style, as GET /styles lists them.")),
});

const hashes = Type.Array(Type.String(), { description: "Every hash that shows it." });
export const DesignSaved = Type.Object(
  { ok: Type.Boolean(), kind: Kind, collection: Type.String(), version: Type.Integer(), hashes },
  strict,
);
export const UploadSaved = Type.Object(
  { ok: Type.Boolean(), kind: Kind, version: Type.Integer(), hashes },
  strict,
);
export const AvatarRemoved = Type.Object({ ok: Type.Boolean(), deleted: Type.Boolean(), hashes }, strict);

export const Config = Type.Object(
  {
    media_url: Type.String(),
    vision: Type.Boolean({ description: "Whether a design can be suggested from a photo." }),
    max_upload_bytes: Type.Integer(),
    mail: Type.Union([Type.Literal("smtp"), Type.Literal("outbox")], {
      description: "Where codes go: by mail, or as files into the operator's outbox folder.",
    }),
  },
  strict,
);

const OptionValue = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.Union([Type.String(), Type.Number()])),
]);
export const Styles = Type.Object(
  {
    styles: Type.Array(
      Type.Object(
        {
          collection: Type.String(),
          title: Type.String(),
          credits: Type.String(),
          options: Type.Array(
            Type.Object(
              {
                name: Type.String(),
                label: Type.String(),
                kind: Type.Union(
                  (["choice", "color", "probability", "number", "boolean"] as const).map((kind) =>
                    Type.Literal(kind),
                  ),
                ),
                values: Type.Optional(Type.Array(Type.String())),
                min: Type.Optional(Type.Number()),
                max: Type.Optional(Type.Number()),
                multiple: Type.Boolean(),
                default: nullable(
                  OptionValue,
                  "What holds when nothing is given; null leaves it to the seed.",
                ),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
);

export const NameBody = Type.Object(
  {
    first_name: Type.Optional(nullable(text(64, "The given name."))),
    last_name: Type.Optional(nullable(text(64, "The family name; it may be missing."))),
  },
  strict,
);
export const AvatarHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      maxLength: 100,
      description: "The `version` of the saved avatar that is replaced or removed.",
    }),
  ),
  "if-none-match": Type.Optional(
    Type.String({ maxLength: 100, description: "`*`: only where no avatar is saved." }),
  ),
});
export const NameHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({ maxLength: 100, description: "The `name_version` that the change is made to." }),
  ),
});
export const NameSaved = Type.Object(
  { ok: Type.Boolean(), first_name: Type.String(), last_name: nullable(Type.String()) },
  strict,
);
export const EraseBody = Type.Object({ confirm: text(320, "The primary address.") }, strict);
export const Export = freeForm("All that is held about the account.");

const Admin = Type.Object(
  {
    id: Type.String(),
    email: Type.String({ format: "email" }),
    name: Type.String(),
    source: Type.Union([Type.Literal("setting"), Type.Literal("grant")]),
    granted_at: nullable(time("When the rights were granted.")),
  },
  strict,
);
export const Admins = Type.Object({ admins: Type.Array(Admin) }, strict);
export const Granted = Type.Object({ ok: Type.Boolean(), admin: Admin }, strict);

const count = Type.Integer({ minimum: 0 });
export const MetricsReply = Type.Object(
  {
    totals: Type.Object(
      {
        accounts: count,
        verified_emails: count,
        accounts_with_avatar: count,
        adoption_pct: Type.Number(),
        multi_email_accounts: count,
      },
      strict,
    ),
    by_kind: Type.Array(Type.Object({ kind: Type.String(), accounts: count }, strict)),
    by_style: Type.Array(Type.Object({ style: Type.String(), accounts: count }, strict)),
    generated_at: time("When it was counted."),
  },
  strict,
);

export const SuggestionReply = Type.Object(
  { style: Type.String(), options: freeForm("Options of the style.") },
  strict,
);
