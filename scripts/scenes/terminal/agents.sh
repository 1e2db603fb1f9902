# title: Two agents exchange messages: backend tells frontend about an endpoint, frontend asks a question and is blocked until backend answers
# columns: 92

git init --quiet --initial-branch main shop
cd shop
bugle agent register backend >/dev/null
bugle agent register frontend >/dev/null

show 'bugle say --as backend "@frontend the login endpoint is ready: POST /login"'
show 'bugle ask --as frontend "@backend what does it return for a wrong password?"'
show 'bugle agent list'
show 'bugle answer --as backend "401, without saying which part was wrong"'
show 'bugle inbox --for frontend'
