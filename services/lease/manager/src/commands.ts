import { type Commands, command } from "@frontdesk/kit/command-line";
import { StartProblem } from "@frontdesk/kit/problem";
import { simulate } from "./adapters/simulate.ts";
import { valuesOf } from "./domain/config-values.ts";
import type { Engine } from "./domain/engine.ts";
import { ROLES, type Role } from "./domain/role.ts";
import type { Users } from "./domain/users.ts";

export interface Tools {
  readonly users: Users;
  readonly engine: Engine;
  /** Standard input to its end. */
  readonly readPassword: () => Promise<string>;
}

const AUTHOR = { actor: "command line", isLocal: true } as const;
const MAX_CLIENTS = 50_000;

export const commands: Commands<Tools> = {
  "user list": command("", "accounts and when each last signed in", async ({ users }) =>
    (await users.list()).map(({ username, role, lastSignInAt }) => ({
      username,
      role,
      last_sign_in: lastSignInAt === null ? null : new Date(lastSignInAt).toISOString(),
    })),
  ),
  "user add": command(
    "<name> --role <role> --password-stdin",
    "add an account; its password is read from standard input",
    async ({ users, readPassword }, [name = ""], { role }, flags) => {
      const { username } = await users.add(
        AUTHOR,
        name,
        await passwordFrom(flags, readPassword),
        roleFrom(role),
      );
      return `${username} can sign in.`;
    },
  ),
  "user password": command(
    "<name> --password-stdin",
    "give an account another password, for instance when it is forgotten",
    async ({ users, readPassword }, [name = ""], _options, flags) => {
      const password = await passwordFrom(flags, readPassword);
      const { username } = await users.change(AUTHOR, name, { password });
      return `${username} has another password and is signed out everywhere.`;
    },
  ),
  "user remove": command("<name>", "remove an account", async ({ users }, [name = ""]) => {
    await users.remove(AUTHOR, name);
    return `${name} is removed.`;
  }),
  simulate: command(
    "--clients <number>",
    "real DHCP exchanges by simulated clients against an engine in the lab",
    async ({ engine }, _words, { clients }) => {
      const many = Number(clients);
      if (!Number.isInteger(many) || many < 1 || many > MAX_CLIENTS)
        throw new StartProblem(`--clients is a whole number from 1 to ${MAX_CLIENTS}.`);
      const document = valuesOf((await engine.config()).text);
      const [listen] = ((document.server as { listen?: string[] } | undefined)?.listen ?? []) as string[];
      if (!listen)
        throw new StartProblem(
          'The engine serves real interfaces: simulated clients are for the lab, [server] listen = ["127.0.0.1:6767"].',
        );
      const { leases, refused, silent } = await simulate(listen, many);
      return `${leases} clients have an address, ${refused} were refused, ${silent} heard nothing.`;
    },
  ),
};

function roleFrom(text: string | undefined): Role {
  const role = ROLES.find((each) => each === text);
  if (!role) throw new StartProblem(`--role is one of ${ROLES.join(", ")}.`);
  return role;
}

async function passwordFrom(flags: ReadonlySet<string>, read: () => Promise<string>): Promise<string> {
  if (!flags.has("password-stdin")) {
    throw new StartProblem(
      "Give the password on standard input, with --password-stdin: others can see arguments.",
    );
  }
  return read();
}
