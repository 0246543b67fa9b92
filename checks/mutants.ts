/** A mistake to plant: the text at its one place in a file, what stands there instead, and the tests that must notice. */
export interface Mutant {
  readonly mistake: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly killedBy: string;
}

/** Mistakes that were made once, or would be easy to make. `npm test -- --mutants` plants each in a copy. */
export const MUTANTS: readonly Mutant[] = [
  {
    mistake: "an IPv6 caller is limited by its whole address",
    file: "packages/signin/src/source-network.ts",
    find: '.slice(0, 4).join(":")}::/64`',
    replace: '.join(":")}::/64`',
    killedBy: "packages/signin/test/tenant.test.ts",
  },
  {
    mistake: "a count that was begun while the clock was ahead is believed",
    file: "packages/store/src/limit-store.ts",
    find: "rate_limits.expire <= ",
    replace: "rate_limits.expire <= 9000000000000000 + ",
    killedBy: "packages/store/test/limits.test.ts",
  },
  {
    mistake: "guesses are given back although they were wrong",
    file: "packages/signin/src/sign-in.ts",
    find: 'if (!result.refused || result.refused === "mfa_required") await giveTurnsBack(limits, guess);',
    replace: "await giveTurnsBack(limits, guess);",
    killedBy: "packages/signin/test/tenant.test.ts",
  },
  {
    mistake: "a code with a space in it is wrong",
    file: "packages/signin/src/one-time-codes.ts",
    find: 'code.replace(/\\s/g, "")',
    replace: "code",
    killedBy: "packages/signin/test/tenant.test.ts",
  },
  {
    mistake: "a program is shown the console's page for an address that leads nowhere",
    file: "packages/kit/src/console-files.ts",
    find: 'accept.includes("text/html")',
    replace: "accept !== undefined",
    killedBy: "packages/kit/test/console-files.test.ts",
  },
  {
    mistake: "a reply is sent although its lease is not on disk",
    file: "services/lease/engine/src/loop/engine.ts",
    find: "    if (!this.#persist(batch)) {",
    replace: "    if (!this.#persist(batch) && batch.replies.length === 0) {",
    killedBy: "services/lease/engine/test/flow.test.ts",
  },
  {
    mistake: "a step of the wall clock moves the leases' time",
    file: "services/lease/engine/src/loop/engine-clock.ts",
    find: "    this.#offset -= step;",
    replace: "    this.#base += step;",
    killedBy: "services/lease/engine/test/time.test.ts",
  },
  {
    mistake: "a start with a clock that is behind counts from it",
    file: "services/lease/engine/src/loop/engine-clock.ts",
    find: "newest || FIRST_TIME, newest)",
    replace: "newest || FIRST_TIME, 0)",
    killedBy: "services/lease/engine/test/time.test.ts",
  },
  {
    mistake: "of two elements with one name the wrong one is kept",
    file: "services/lease/config/src/toml-change.ts",
    find: "sameValue(a, b) ? many + 1 :",
    replace: "sameValue(a, b) ? many :",
    killedBy: "services/lease/config/test/toml-change.test.ts",
  },
  {
    mistake: "giving up counts from the start of the bridge",
    file: "services/print/bridge/src/domain/job-machine.ts",
    find: "  now - unreachableSince > giveUpMs",
    replace: "  now > giveUpMs",
    killedBy: "services/print/bridge/test/job-model.test.ts",
  },
  {
    mistake: "a job that was sent is sent again after a restart",
    file: "services/print/bridge/src/domain/job-machine.ts",
    find: '  sending: { state: "Sending", started: true },',
    replace: '  sending: { state: "Sending", started: false },',
    killedBy: "services/print/bridge/test/job-model.test.ts",
  },
  {
    mistake: "a job that was marked when the bridge began to close is left as sending",
    file: "services/print/bridge/src/domain/printer-queue.ts",
    find: 'if (closing.signal.aborted && step.action === "send") return putBack(entry);',
    replace: "",
    killedBy: "services/print/bridge/test/queue-close.test.ts",
  },
  {
    mistake: "a job that comes marked while the bridge closes is left as sending",
    file: "services/print/bridge/src/domain/printer-queue.ts",
    find: "for (const entry of waiting) if (entry.data) await putBack(entry);",
    replace: "",
    killedBy: "services/print/bridge/test/queue-close.test.ts",
  },
  {
    mistake: "each job leaves a listener behind at the backend's signal",
    file: "services/print/bridge/src/backends/zpl-backend.ts",
    find: "work.then(resolve, reject).finally(tidy);",
    replace: "work.then(resolve, reject); void tidy;",
    killedBy: "services/print/bridge/test/queue-close.test.ts",
  },
  {
    mistake: "a page is let in with its origin, whatever code it shows",
    file: "services/print/bridge/src/domain/access.ts",
    find: "(record.codes ?? []).includes(code)",
    replace: "(record.codes ?? [code]).length > 0",
    killedBy: "services/print/bridge/test/protocol.test.ts",
  },
  {
    mistake: "a webhook's turn lasts as long as its receiver likes",
    file: "services/presence/src/delivery/lane.ts",
    find: "monotonic.now() - startedAt < MAX_TURN_MS",
    replace: "monotonic.now() - startedAt < 1_000 * MAX_TURN_MS",
    killedBy: "services/presence/test/lane.test.ts",
  },
  {
    mistake: "a write from somebody else's page is taken",
    file: "packages/signin/src/session-gate.ts",
    find: "if (origin === own || URL.parse(origin)?.host === host) return;",
    replace: "if (origin) return;",
    killedBy: "services/avatar/test/sign-in.test.ts",
  },
  {
    mistake: "an upload may have 3 MB",
    file: "services/avatar/src/http/image-form.ts",
    find: "MAX_UPLOAD_BYTES = 2 *",
    replace: "MAX_UPLOAD_BYTES = 3 *",
    killedBy: "services/avatar/test/uploads.test.ts",
  },
  {
    mistake: "a token with any scope opens every endpoint",
    file: "services/presence/src/http/gate.ts",
    find: "!group.some((scope) => holder.scopes.includes(scope))",
    replace: "holder.scopes.length === 0",
    killedBy: "services/presence/test/refusals.test.ts",
  },
  {
    mistake: "an update of a TODO that has changed meanwhile is taken",
    file: "services/presence/src/domain/todo-condition.ts",
    find: "condition.tags.includes(etagOf(todo))",
    replace: "condition.tags.length > 0",
    killedBy: "services/presence/test/concurrency.test.ts",
  },
  {
    mistake: "the client asks for `..` as if it were a name",
    file: "services/presence/client/presence-client.ts",
    find: "refuseDots(path ?? {});",
    replace: "",
    killedBy: "services/presence/test/client.test.ts",
  },
  {
    mistake: "the control API's document does not name its token",
    file: "services/lease/engine/src/control/document.ts",
    find: "    security: [{ token: [] }],",
    replace: "",
    killedBy: "services/lease/engine/test/control.test.ts",
  },
  {
    mistake: "a time that clocks show twice is the second of the two",
    file: "packages/ui/src/zoned-time.ts",
    find: "Math.min(...fitting)",
    replace: "Math.max(...fitting)",
    killedBy: "packages/ui/test/zoned-time.test.ts",
  },
  {
    mistake: "a number in an address may be larger than 255",
    file: "packages/ui/src/network-address.ts",
    find: "Number(part) > 255",
    replace: "Number(part) > 999",
    killedBy: "packages/ui/test/network-address.test.ts",
  },
  {
    mistake: "routes may use what is behind the domain's ports",
    file: "checks/import-rule.ts",
    find: "to: /\\/src\\/(adapters|render|transports|backends|delivery)\\//,",
    replace: "to: /\\/src\\/(render|transports|backends|delivery)\\//,",
    killedBy: "checks/import-rule.test.ts",
  },
];
