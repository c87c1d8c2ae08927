#!/bin/sh
# The requests of client.ts with curl and openssl, to try them out one by one. It does not verify ID tokens and does not ask for one.
set -eu

usage='Usage: sh client.sh keys|connect|read|revoke, as for client.ts'
redirect_uri=${REDIRECT_URI:-http://127.0.0.1:9090/callback}
scope='bank:accounts.basic:read bank:transactions:read'

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
random() { openssl rand -hex 32; }
sha256() { printf %s "$1" | openssl dgst -sha256 -binary | base64url; }

# field NAME: a string of the JSON text on standard input.
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# The modulus begins after the nine bytes of the header of a DER-encoded RSA key of 2048 bits.
public_key() {
  modulus=$(openssl rsa -in "$1" -RSAPublicKey_out -outform DER 2>/dev/null | tail -c +10 | head -c 256 | base64url)
  printf '{"kty":"RSA","e":"AQAB","n":"%s"' "$modulus"
}

# sign KEY HEADER PAYLOAD: a JSON Web Token, signed with PS256.
sign() {
  text=$(printf %s "$2" | base64url).$(printf %s "$3" | base64url)
  printf '%s.' "$text"
  printf %s "$text" | openssl dgst -sha256 -sign "$1" -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest -binary | base64url
}

# How the client authenticates: RFC 7523, for one use within a minute.
assertion() {
  now=$(date +%s)
  sign client.pem '{"alg":"PS256","kid":"client"}' \
    "{\"iss\":\"$CLIENT_ID\",\"sub\":\"$CLIENT_ID\",\"aud\":\"$ISSUER\",\"jti\":\"$(random)\",\"iat\":$now,\"exp\":$((now + 60))}"
}

# proof METHOD URL [TOKEN]: the DPoP proof of a request, RFC 9449. Tokens are bound to its key.
proof() {
  hash=${3:+",\"ath\":\"$(sha256 "${3:-}")\""}
  sign dpop.pem "{\"typ\":\"dpop+jwt\",\"alg\":\"PS256\",\"jwk\":$(public_key dpop.pem)}}" \
    "{\"htm\":\"$1\",\"htu\":\"$2\",\"jti\":\"$(random)\",\"iat\":$(date +%s)$hash}"
}

# post ENDPOINT PARAMETER…: sends a form to an endpoint of the metadata.
post() {
  url=$(curl -fsS "$ISSUER/.well-known/openid-configuration" | field "$1")
  shift
  for parameter; do
    set -- "$@" --data-urlencode "$parameter"
    shift
  done
  curl -sS --fail-with-body "$url" -H "DPoP: $(proof POST "$url")" "$@" \
    --data-urlencode "client_id=$CLIENT_ID" \
    --data-urlencode 'client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer' \
    --data-urlencode "client_assertion=$(assertion)"
}

get() {
  url=$ISSUER/cds-au/v1$1
  curl -sS --fail-with-body "$url" -H "x-v: $2" -H "Authorization: DPoP $3" -H "DPoP: $(proof GET "${url%%\?*}" "$3")"
}

require_consent() {
  [ -f consent.json ] || { echo 'consent.json not found: run connect first' >&2; exit 1; }
}

umask 077
case ${1:-} in
  keys)
    for key in client dpop; do openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$key.pem"; done
    printf '{"keys":[%s,"alg":"PS256","kid":"client","use":"sig"}]}\n' "$(public_key client.pem)" >jwks.json
    ;;
  connect)
    verifier=$(random)
    state=$(random)
    request_uri=$(post pushed_authorization_request_endpoint response_type=code \
      "redirect_uri=$redirect_uri" "scope=$scope" "state=$state" sharing_duration=7776000 \
      "code_challenge=$(sha256 "$verifier")" code_challenge_method=S256 | field request_uri)
    [ -n "$request_uri" ]
    authorization=$(curl -fsS "$ISSUER/.well-known/openid-configuration" | field authorization_endpoint)
    echo "Open $authorization?client_id=$CLIENT_ID&request_uri=$request_uri"
    echo 'At the end, paste the address to which the browser returned:'
    read -r callback
    case $callback in *"state=$state"*) ;; *) echo 'the address belongs to another request' >&2; exit 1 ;; esac
    code=$(printf %s "$callback" | sed -n 's/.*[?&]code=\([^&]*\).*/\1/p')
    post token_endpoint grant_type=authorization_code "redirect_uri=$redirect_uri" \
      "code=$code" "code_verifier=$verifier" >consent.json
    echo 'Connected. The consent is in consent.json.'
    ;;
  read)
    require_consent
    post token_endpoint grant_type=refresh_token "refresh_token=$(field refresh_token <consent.json)" >consent.json.new || {
      cat consent.json.new >&2
      exit 1
    }
    mv consent.json.new consent.json
    get /banking/accounts 3 "$(field access_token <consent.json)"
    echo
    ;;
  revoke)
    require_consent
    post revocation_endpoint "token=$(field refresh_token <consent.json)"
    rm consent.json
    echo 'The consent has ended. Delete what you no longer need of the data.'
    ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
esac
