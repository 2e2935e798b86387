import './module-output.test.ts';
