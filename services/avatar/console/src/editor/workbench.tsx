import { useQuery } from "@tanstack/react-query";
import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useContext,
  useMemo,
  useState,
} from "react";
import { questions } from "../api.ts";
import type { Avatar, Me } from "../shapes.ts";
import { begin, type Design, type History } from "./design.ts";

interface Workbench {
  /** Undefined until it is known what the person has now. */
  readonly history: History | undefined;
  readonly setHistory: Dispatch<SetStateAction<History>>;
  readonly saved: Design | undefined;
}

const WorkbenchContext = createContext<Workbench | undefined>(undefined);

/** Holds the face that is being made, so that a look at another page loses nothing. */
export function WorkbenchProvider({ me, children }: { me: Me; children: ReactNode }) {
  const { data: avatar } = useQuery(questions.avatar);
  const [touched, setTouched] = useState<History>();
  const seed = me.user.hash ?? me.user.id;
  const workbench = useMemo((): Workbench => {
    const saved = avatar === undefined ? undefined : designOf(avatar);
    const fresh = begin(saved ?? { collection: "personas", seed, options: {} });
    return {
      history: touched ?? (avatar === undefined ? undefined : fresh),
      setHistory: (next) => setTouched((now) => (typeof next === "function" ? next(now ?? fresh) : next)),
      saved,
    };
  }, [avatar, touched, seed]);
  return <WorkbenchContext value={workbench}>{children}</WorkbenchContext>;
}

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error("useWorkbench needs a WorkbenchProvider around it");
  return workbench;
}

function designOf(avatar: Avatar | null): Design | undefined {
  if (avatar?.kind !== "designed" || !avatar.collection) return undefined;
  const { seed = "", options = {} } = avatar.config as Partial<Design>;
  return { collection: avatar.collection, seed, options };
}
