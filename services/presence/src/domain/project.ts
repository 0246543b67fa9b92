import { isoTime } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import type { ProjectRecord } from "./records.ts";
import type { Project } from "./resources.ts";
import { shownLine } from "./shown-text.ts";
import type { Unit } from "./unit.ts";

export const projectView = (project: ProjectRecord): Project => ({
  id: project.id,
  name: project.name,
  archived: project.archived,
  createdAt: isoTime(project.createdAt),
  updatedAt: isoTime(project.updatedAt),
});

/** Those in the archive do not count: nothing else makes room. */
export const MAX_PROJECTS = 2_000;

async function demandRoom(unit: Unit): Promise<void> {
  if ((await unit.projects.countOpen()) >= MAX_PROJECTS) throw refuse("too_many_projects");
}

export async function createProject(unit: Unit, name: string): Promise<ProjectRecord> {
  await demandRoom(unit);
  const project = {
    id: unit.newId(),
    name: projectName(name),
    archived: false,
    createdAt: unit.now,
    updatedAt: unit.now,
  };
  await unit.projects.save(project);
  unit.emit("project.created", { project: projectView(project) });
  return project;
}

export async function renameProject(unit: Unit, id: string, name: string): Promise<ProjectRecord> {
  const project = await existing(unit, id);
  const next = { ...project, name: projectName(name), updatedAt: unit.now };
  if (next.name === project.name) return project;
  await unit.projects.save(next);
  unit.emit("project.updated", { project: projectView(next), previous: { name: project.name } });
  return next;
}

/** Taking a project out of the archive is an update like any other. */
export async function archiveProject(unit: Unit, id: string, archived: boolean): Promise<ProjectRecord> {
  const project = await existing(unit, id);
  if (project.archived === archived) return project;
  if (!archived) await demandRoom(unit);
  const next = { ...project, archived, updatedAt: unit.now };
  await unit.projects.save(next);
  const data = { project: projectView(next), previous: { archived: project.archived } };
  unit.emit(archived ? "project.archived" : "project.updated", data);
  return next;
}

async function existing(unit: Unit, id: string): Promise<ProjectRecord> {
  const project = await unit.projects.find(id);
  if (!project) throw refuse("project_not_found");
  return project;
}

const projectName = (name: string): string => shownLine(name, "A project's name", 200);
