import './norms.test.ts';
