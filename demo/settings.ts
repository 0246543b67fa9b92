import { listen } from "@frontdesk/kit/settings";

export const demoSettings = {
  DEMO_LISTEN: listen({
    about: "Where the demo receives webhooks, and shows them.",
    fallback: "127.0.0.1:31080",
  }),
};
