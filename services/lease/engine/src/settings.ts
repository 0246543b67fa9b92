import { optional, type Settings, text } from "@frontdesk/kit/settings";

export const leaseSettings = {
  LEASE_CONFIG: optional(
    text({
      about:
        "The lease engine's configuration, a TOML file. Without it, one for the lab is written to lease/engine/engine.toml under FRONTDESK_HOME.",
    }),
  ),
} satisfies Settings;
