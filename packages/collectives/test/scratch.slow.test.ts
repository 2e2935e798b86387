import './scratch.test.ts';
