import './webgpu.test.ts';
