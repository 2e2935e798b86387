import './group-fusion.test.ts';
