import type { FastifyReply } from "fastify";

/** An OpenAPI document, as far as it is completed here. */
export type OpenApiDocument = Record<string, unknown>;

interface Operation {
  readonly operationId?: string;
  readonly security?: readonly object[];
  readonly responses?: Readonly<Record<string, object>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const LICENSE = { name: "MIT", identifier: "MIT" };
const NOT_UNDERSTOOD = { "4XX": { description: "The request was not understood." } };

/**
 * What tools ask of a document and routes need not say: the licence, a name for each operation, whether
 * it wants credentials, and that a request may be refused. Routes say otherwise by saying it.
 */
export function completedDocument(document: OpenApiDocument): OpenApiDocument {
  const isOpen = document.security === undefined;
  return {
    ...document,
    info: { license: LICENSE, ...(document.info as object) },
    paths: eachOperation(document.paths as Paths, (operation, method, path) => ({
      operationId: operationId(method, path),
      ...(isOpen ? { security: [] } : {}),
      ...operation,
      responses: {
        ...(hasRefusal(operation) ? {} : NOT_UNDERSTOOD),
        ...operation.responses,
      },
    })),
  };
}

/** Answers with a document that is made when it is asked for first: then all routes are known. */
export function documentHandler(make: () => OpenApiDocument) {
  let text: string | undefined;
  return (_request: unknown, reply: Pick<FastifyReply, "header" | "send">) => {
    text ??= JSON.stringify(make());
    reply.header("content-type", "application/json; charset=utf-8");
    return reply.send(text);
  };
}

/** `post /me/avatar/from-photo` becomes `postMeAvatarFromPhoto`. */
export function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join(
    "",
  );
}

export function eachOperation<T extends Operation>(
  paths: Paths,
  complete: (operation: T, method: string, path: string) => object,
) {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          complete(operation as T, method, path),
        ]),
      ),
    ]),
  );
}

const hasRefusal = ({ responses = {} }: Operation): boolean =>
  Object.keys(responses).some((status) => status.startsWith("4"));
