import type { Client } from "./control-client.ts";

export interface Flags {
  readonly all: boolean;
  readonly ip?: string | undefined;
  readonly mac?: string | undefined;
  readonly type?: string | undefined;
  readonly limit?: string | undefined;
  readonly giaddr?: string | undefined;
  readonly "client-id"?: string | undefined;
  readonly "circuit-id"?: string | undefined;
  readonly "interface-id"?: string | undefined;
  readonly "remote-id"?: string | undefined;
  readonly interface?: string | undefined;
  readonly duid?: string | undefined;
  readonly iaid?: string | undefined;
  readonly link?: string | undefined;
  readonly prefix?: boolean;
  readonly "stopped-at"?: string | undefined;
  readonly force?: boolean;
  readonly alone?: boolean;
  readonly apply?: boolean;
}

export interface Answer {
  readonly ok: boolean;
  readonly value: unknown;
  readonly text: string;
}

export interface Command {
  readonly usage: string;
  readonly about: string;
  readonly words: { readonly min: number; readonly max: number };
  readonly run: (client: Client, words: string[], flags: Flags) => Promise<Answer>;
}
