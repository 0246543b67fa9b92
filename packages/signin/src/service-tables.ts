import {
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type QueryId,
  type RootOperationNode,
  type SchemableIdentifierNode,
} from "kysely";
import type { SigninTables } from "./tables.ts";

const OWN = "signin_";

/** Several services may keep their tables in one database, so each has its own for signing in. */
export const serviceTable = (service: string, table: string): string => `${service}_${table}`;

/** The tables of signing in that belong to a service, under the names that this package knows them by. */
export function signinTables(service: string, db: Kysely<never>): Kysely<SigninTables> {
  return db.withPlugin(new ServiceTables(service)) as unknown as Kysely<SigninTables>;
}

class ServiceTables implements KyselyPlugin {
  readonly #names: Names;

  constructor(service: string) {
    this.#names = new Names(service);
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.#names.transformNode(node, queryId);
  }

  transformResult: KyselyPlugin["transformResult"] = async ({ result }) => result;
}

class Names extends OperationNodeTransformer {
  readonly #service: string;

  constructor(service: string) {
    super();
    this.#service = service;
  }

  protected override transformSchemableIdentifier(
    node: SchemableIdentifierNode,
    queryId?: QueryId,
  ): SchemableIdentifierNode {
    const { identifier, ...rest } = super.transformSchemableIdentifier(node, queryId);
    if (!identifier.name.startsWith(OWN)) return { identifier, ...rest };
    return { ...rest, identifier: { ...identifier, name: serviceTable(this.#service, identifier.name) } };
  }
}
