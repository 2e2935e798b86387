import './clusters.test.ts';
