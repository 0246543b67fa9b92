import { useQuery } from "@tanstack/react-query";
import { questions } from "./api.ts";

/** Whether whoever is signed in may release, reserve and note. */
export const useIsOperator = (): boolean => {
  const { data } = useQuery(questions.me);
  return data !== undefined && data !== null && data.role !== "viewer";
};

export const useIsAdmin = (): boolean => useQuery(questions.me).data?.role === "admin";
