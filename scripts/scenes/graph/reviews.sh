bugle skill graph planner --to svg
