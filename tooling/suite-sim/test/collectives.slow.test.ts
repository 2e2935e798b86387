import './collectives.test.ts';
