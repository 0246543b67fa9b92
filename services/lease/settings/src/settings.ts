import { hosts, listen, optional, type Settings, text } from "@frontdesk/kit/settings";

/** The settings of lease: the manager and the engine are given the same environment. */
export const leaseSettings = {
  LEASE_CONSOLE_LISTEN: listen({
    about: "Where the console and the REST API of lease listen, by https.",
    fallback: "127.0.0.1:31074",
  }),
  LEASE_HOSTS: hosts({
    about: "Names and addresses, beside the loopback ones, under which the console may be reached.",
    fallback: "",
  }),
  LEASE_CONFIG: optional(
    text({
      about:
        "The lease engine's configuration, a TOML file. Without it, one for the lab is written to lease/engine/engine.toml under FRONTDESK_HOME.",
    }),
  ),
  LEASE_ADMIN_PASSWORD: optional(
    text({
      about:
        "The password of the user admin, at least 10 characters, taken at the first start. Without it, one is made and printed once.",
      secret: true,
    }),
  ),
  LEASE_TLS_CERT: optional(
    text({ about: "A PEM file: the certificate that the console shows, instead of one of its own CA." }),
  ),
  LEASE_TLS_KEY: optional(text({ about: "A PEM file: the key of LEASE_TLS_CERT." })),
} satisfies Settings;
