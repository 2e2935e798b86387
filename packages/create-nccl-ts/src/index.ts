export { createProject } from './create-project.ts';
export type { CreatedProject, CreateProjectOptions } from './create-project.ts';
