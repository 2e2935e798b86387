import './determinacy.test.ts';
