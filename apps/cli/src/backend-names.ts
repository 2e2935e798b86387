/** The backends of the command line. */
export const backendNames = ['sim', 'webgpu', 'cuda'] as const;

export type BackendName = (typeof backendNames)[number];
