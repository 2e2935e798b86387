import './shapes.test.ts';
