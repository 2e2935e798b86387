/** The backends that the command line knows. */
export const backendNames = ['sim', 'webgpu', 'cuda'] as const;

export type BackendName = (typeof backendNames)[number];
