import './fake-gpu.test.ts';
