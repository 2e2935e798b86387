import './world-collectives.test.ts';
