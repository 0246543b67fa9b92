/** What the service writes to people. */

export function invitationMail(orgName: string, appUrl: string) {
  return {
    subject: `You are invited to ${orgName}`,
    body: [
      `You are invited to ${orgName} at Frontdesk: who is in, and what there is to do.`,
      "",
      "Sign in with this address, and you are in:",
      "",
      `  ${appUrl}/sign-in`,
      "",
      "The invitation is good for 30 days. If you do not know why you got it, there is nothing you need to do.",
      "",
    ].join("\n"),
  };
}

export function tokenExpiresMail(orgSlug: string, integration: string, expiresAt: string, appUrl: string) {
  return {
    subject: `A token of ${orgSlug} expires soon`,
    body: [
      `A token of the integration ${integration} of ${orgSlug} expires at ${expiresAt}. Requests with it are refused then.`,
      "",
      "Make another one and give it to the integration before:",
      "",
      `  ${appUrl}/${orgSlug}/admin/integrations`,
      "",
    ].join("\n"),
  };
}

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
