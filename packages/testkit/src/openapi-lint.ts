import { createConfig, lintFromString } from "@redocly/openapi-core";

/** What Redocly's recommended rules find wrong with an OpenAPI document, a sentence each, warnings among them. */
export async function openApiProblems(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: "openapi.json",
    config,
  });
  return problems.map(
    ({ ruleId, severity, message, location: [place] }) =>
      `${severity} ${ruleId} at ${place?.pointer ?? "?"}: ${message}`,
  );
}
