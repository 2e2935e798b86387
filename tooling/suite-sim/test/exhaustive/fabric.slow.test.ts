import './fabric.test.ts';
