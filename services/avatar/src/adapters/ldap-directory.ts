import { Attribute, Change, Client, EqualityFilter } from "ldapts";
import type { Directory } from "../domain/names.ts";

const REQUEST_LIMIT_MS = 5_000;

/**
 * An LDAP directory. The URL names it whole: `ldap://BIND-DN:PASSWORD@host/BASE-DN`, each part
 * percent-encoded; `ldaps://` for TLS. The person is the entry whose `mail` is the address.
 */
export function ldapDirectory(url: URL): Directory {
  const server = `${url.protocol}//${url.host}`;
  const base = decodeURIComponent(url.pathname.slice(1));
  return {
    writeName: async (email, { firstName, lastName }) => {
      const client = new Client({ url: server, timeout: REQUEST_LIMIT_MS, connectTimeout: REQUEST_LIMIT_MS });
      try {
        if (url.username)
          await client.bind(decodeURIComponent(url.username), decodeURIComponent(url.password));
        const { searchEntries } = await client.search(base, {
          scope: "sub",
          filter: new EqualityFilter({ attribute: "mail", value: email }),
          attributes: ["dn"],
          sizeLimit: 2,
        });
        const [entry, another] = searchEntries;
        if (!entry || another)
          throw new Error(`the directory has ${another ? "several entries" : "no entry"} for the address`);
        const whole = [firstName, lastName].filter((part) => part).join(" ");
        const values = { givenName: firstName, displayName: whole, ...(lastName ? { sn: lastName } : {}) };
        // One request: the directory takes all of it or nothing.
        await client.modify(
          entry.dn,
          Object.entries(values).map(
            ([type, value]) =>
              new Change({ operation: "replace", modification: new Attribute({ type, values: [value] }) }),
          ),
        );
      } finally {
        await client.unbind();
      }
    },
  };
}
