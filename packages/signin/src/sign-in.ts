import { isId } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { isRefusedForGood, type Mail, type Mailer } from "@frontdesk/kit/mailer";
import { TimeLimitError } from "@frontdesk/kit/time-limit";
import { codeMail } from "./code-mail.ts";
import type { CodeRows } from "./code-rows.ts";
import type { Devices } from "./devices.ts";
import type { EmailAddress } from "./email-address.ts";
import { giveTurnsBack, guessTurns, type Limits, mailTurns, type Turn, takingTurns } from "./limits.ts";
import type { OneTimeCodes } from "./one-time-codes.ts";
import { refuse, type SigninRefusal } from "./refusals.ts";
import type { SecondFactor } from "./second-factor.ts";
import type { SecondFactorRows } from "./second-factor-rows.ts";
import type { SessionRows } from "./session-rows.ts";
import type { Sessions } from "./sessions.ts";

const PURPOSE = "sign in";
/** Others cannot use up the tries of a code that a known browser has asked for: it is good there alone. */
const devicePurpose = (device: string) => `${PURPOSE} with device ${device}`;

/** The people that a service knows, in the transaction that signs one of them in. */
export interface Accounts {
  /** The account that has verified an address; the first time, a new one. */
  findOrCreate(address: EmailAddress): Promise<string>;
}

/** What signing in keeps, and the service's accounts beside it. */
export interface SigninRows {
  readonly codes: CodeRows;
  readonly sessions: SessionRows;
  readonly factors: SecondFactorRows;
  readonly accounts: Accounts;
}

/** Where it is kept: readers see what is committed, a change is one transaction. */
export interface SigninStore {
  readonly read: SigninRows;
  change<T>(work: (rows: SigninRows) => Promise<T>): Promise<T>;
}

export interface SigninParts {
  readonly store: SigninStore;
  readonly codes: OneTimeCodes;
  readonly factor: SecondFactor;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly limits: Limits;
  readonly mail: Mailer;
  /** The public address of what one signs in to, for the mail. */
  readonly publicUrl: string;
  readonly log: Log;
}

/** Who is trying, as far as limits go. */
export interface Source {
  /** Undefined where the caller is gone already. */
  readonly address: string | undefined;
  readonly userAgent: string;
  /** The `Cookie` header. */
  readonly cookie: string | undefined;
}

/** Codes by mail, and what they are exchanged for. */
export function createSignIn(parts: SigninParts) {
  const { store, codes, limits, sessions, devices, factor, log } = parts;
  const beingMarked = new Set<string>();

  /** Nobody waits for it: who reads is answered although nothing can be written. */
  function markSeen(session: string, now: number): void {
    if (beingMarked.has(session)) return;
    beingMarked.add(session);
    store
      .change((rows) => rows.sessions.markSeen(session, now))
      .catch((err) => log.warn({ err }, "the last use of a session could not be saved"))
      .finally(() => beingMarked.delete(session));
  }

  /** What the code was mailed for; undefined when it is wrong for all of it. */
  async function rightPurpose(
    rows: CodeRows,
    purposes: readonly string[],
    email: EmailAddress,
    code: string,
  ) {
    for (const purpose of purposes) {
      if ((await codes.check(rows, purpose, email, code)) === "right") return purpose;
    }
    return undefined;
  }

  return {
    /** Mails a code. Every address is treated alike, whether an account knows it or not. */
    async sendCode(email: EmailAddress, source: Source): Promise<void> {
      const device = await devices.find(source.cookie, email);
      const turns = mailTurns(email, source.address, device);
      const purpose = device ? devicePurpose(device) : PURPOSE;
      const issue = (rows: SigninRows) => codes.issue(rows.codes, purpose, email);
      const code = await takingTurns(limits, turns, () => store.change(issue));
      await sendMail(parts, codeMail(email, code, "sign in to", parts.publicUrl), turns);
    },

    /** Begins a session; answers with the headers that hand out its cookie. */
    async verify(
      email: EmailAddress,
      given: { code: string; totp: string | undefined },
      source: Source,
    ): Promise<readonly string[]> {
      const device = await devices.find(source.cookie, email);
      // A code that another browser has asked for is good in a known one, too.
      const purposes = device ? [devicePurpose(device), PURPOSE] : [PURPOSE];
      const guess = guessTurns(source.address, device);
      const judge = async (rows: SigninRows) => {
        const purpose = await rightPurpose(rows.codes, purposes, email, given.code);
        if (!purpose) return { refused: "invalid_code" as const };
        // Once: the address may move to another account meanwhile, which may have another second factor.
        const account = await rows.accounts.findOrCreate(email);
        const refused = await missingFactor(parts, rows, account, given.totp);
        if (refused) {
          if (refused === "mfa_required") await rows.codes.giveTryBack(purpose, email);
          return { refused };
        }
        await codes.spend(rows.codes, purpose, email);
        return { cookies: await sessions.begin(rows.sessions, account, source.userAgent) };
      };
      // It throws where nothing was judged: others have used up the account's tries, or nothing can be written.
      const result = await takingTurns(limits, guess, () => store.change(judge));
      if (!result.refused || result.refused === "mfa_required") await giveTurnsBack(limits, guess);
      // Refused outside the transaction: the try that was made counts.
      if (result.refused) throw refuse(result.refused);
      return [...result.cookies, await devices.remember(source.cookie, email)];
    },

    /** Puts the second factor in force. Whoever signed in before without it is signed out. */
    async confirmFactor(account: string, session: string, code: string): Promise<string[]> {
      const confirm = async ({ factors, sessions: rows }: SigninRows): Promise<string[] | SigninRefusal> => {
        await demandSession(rows, session);
        const begun = await factors.findLocked(account);
        if (!begun) return "mfa_not_begun";
        if (begun.confirmed_at) return "mfa_already_on";
        const recoveryCodes = await factor.confirm(factors, account, code);
        if (!recoveryCodes) return "invalid_totp";
        await rows.removeOthers(account, session);
        return recoveryCodes;
      };
      const result = await takingTurns(limits, factorTry(account), () => store.change(confirm));
      if (typeof result === "string") throw refuse(result);
      return result;
    },

    async beginFactor(account: string, session: string, label: string) {
      const begin = async ({ factors, sessions: rows }: SigninRows) => {
        const begun = await factor.begin(factors, account, label);
        // Last, and locked: whoever erases the account meanwhile ends its sessions, waits here, and finds what was begun.
        if (!(await rows.findLocked(session))) throw refuse("no_session");
        return begun;
      };
      const begun = await takingTurns(limits, [["factor_begins", account]], () => store.change(begin));
      if (!begun) throw refuse("mfa_already_on");
      return begun;
    },

    async removeFactor(account: string, session: string, code: string): Promise<void> {
      const remove = async ({ factors, sessions: rows }: SigninRows): Promise<SigninRefusal | undefined> => {
        await demandSession(rows, session);
        const row = await factors.findLocked(account);
        if (!row?.confirmed_at) return "mfa_not_on";
        if ((await factor.check(factors, account, code)) !== "passed") return "invalid_totp";
        await factor.remove(factors, account);
        return undefined;
      };
      const refused = await takingTurns(limits, factorTry(account), () => store.change(remove));
      if (refused) throw refuse(refused);
    },

    factorStatus: (account: string) => factor.status(store.read.factors, account),
    sessionsOf: async (account: string) =>
      (await store.read.sessions.ofSubject(account)).filter(sessions.isLive),

    async endSession(account: string, session: string): Promise<void> {
      if (!isId(session) || !(await store.change((rows) => rows.sessions.remove(account, session))))
        throw refuse("session_not_found");
    },

    signOut: (account: string, session: string): Promise<boolean> =>
      store.change((rows) => rows.sessions.remove(account, session)),

    signOutEverywhere: (account: string): Promise<void> =>
      store.change((rows) => rows.sessions.removeAll(account)),

    /** The headers that take the cookie away. */
    forgetCookie: (): readonly string[] => sessions.forget(),

    /** The session that a `Cookie` header stands for; now and then its use is noted. */
    async find(cookie: string | undefined, now: number) {
      const session = await sessions.find(store.read.sessions, cookie);
      if (!session || !sessions.isStale(session)) return session;
      markSeen(session.id, now);
      return { ...session, last_seen_at: now };
    },
  };
}

/** The gate looked before the body came: whoever was signed out meanwhile changes nothing about signing in. */
async function demandSession(rows: SessionRows, session: string): Promise<void> {
  if (!(await rows.find(session))) throw refuse("no_session");
}

export type SignIn = ReturnType<typeof createSignIn>;

const factorTry = (account: string): Turn[] => [["factor_tries", account]];

/**
 * Why an account's second factor is not satisfied; undefined when it is. Each wrong code counts against the account.
 * Where there is none in force, none can be put in force before the transaction ends: it would not be asked for.
 */
export async function missingFactor(
  { factor, limits }: Pick<SigninParts, "factor" | "limits">,
  { factors }: Pick<SigninRows, "factors">,
  account: string,
  totp: string | undefined,
): Promise<SigninRefusal | undefined> {
  if (!(await factors.findLocked(account))?.confirmed_at) return undefined;
  if (!totp) return "mfa_required";
  const verdict = await takingTurns(limits, factorTry(account), () => factor.check(factors, account, totp));
  if (verdict !== "passed") return "invalid_totp";
  await limits.giveBack("factor_tries", account);
  return undefined;
}

/** Sends a mail for which turns were taken; where the server is away, it was none. One that took too long may come all the same. */
export async function sendMail<Limited extends string>(
  { mail, limits }: { readonly mail: Mailer; readonly limits: Limits<Limited> },
  message: Mail,
  turns: ReadonlyArray<Turn<Limited>>,
): Promise<void> {
  try {
    await mail(message);
  } catch (error) {
    const isSurelyUnsent = !isRefusedForGood(error) && !(error instanceof TimeLimitError);
    if (isSurelyUnsent) await giveTurnsBack(limits, turns);
    throw Object.assign(refuse("mail_failed"), { cause: error });
  }
}
