import './team.test.ts';
