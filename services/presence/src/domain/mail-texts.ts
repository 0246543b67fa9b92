/** What the service writes to people. */

export function webhookDisabledMail(orgSlug: string, webhook: { id: string; url: string }, reason: string) {
  return {
    subject: `A webhook of ${orgSlug} was disabled`,
    body: [
      `The webhook to ${webhook.url} was disabled. ${reason}`,
      "",
      "Nothing more is sent to it. When that is mended:",
      "",
      `  npx frontdesk presence webhook resume ${orgSlug} ${webhook.id}`,
      "",
      "What it did not take and what happened in the meantime is sent then, as far as it is still kept (30 days).",
      "",
    ].join("\n"),
  };
}
