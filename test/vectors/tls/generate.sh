#!/bin/sh
# Makes the certificates in this folder anew: test keys, of no value to anybody. Needs OpenSSL 3.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"
echo 01 > "$work/serial"
cat > "$work/ca.cnf" <<CNF
[ca]
default_ca = d
[d]
database = $work/index.txt
serial = $work/serial
new_certs_dir = $work
default_md = sha256
policy = p
unique_subject = no
x509_extensions = leaf
copy_extensions = none
[p]
commonName = supplied
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical,CA:FALSE
subjectAltName = DNS:receiver.example,IP:127.0.0.1
[other]
basicConstraints = critical,CA:FALSE
subjectAltName = DNS:other.example
CNF

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }
# issue NAME EXTENSIONS START END OUT CA-ARGS...
issue() {
  name=$1 extensions=$2 start=$3 end=$4 out=$5
  shift 5
  openssl ca -batch -notext -config "$work/ca.cnf" -extensions "$extensions" -startdate "$start" -enddate "$end" -in "$work/$name.csr" -out "$out" "$@" 2>/dev/null
}

key "$work/ca.key"
key "$work/stranger.key"
key server.key
cat > "$work/req.cnf" <<CNF
[req]
distinguished_name = dn
[dn]
CNF
# request NAME KEY
request() { openssl req -new -config "$work/req.cnf" -key "$2" -subj "/CN=$1" -out "$work/$1.csr"; }
request test-ca "$work/ca.key"
request stranger-ca "$work/stranger.key"
request receiver server.key

issue test-ca root 20000101000000Z 21300101000000Z ca.pem -selfsign -keyfile "$work/ca.key"
issue stranger-ca root 20000101000000Z 21300101000000Z "$work/stranger.pem" -selfsign -keyfile "$work/stranger.key"
by_ca="-cert ca.pem -keyfile $work/ca.key"
issue receiver leaf 20000101000000Z 21300101000000Z valid.pem $by_ca
issue receiver leaf 20000101000000Z 20010101000000Z expired.pem $by_ca
issue receiver leaf 21290101000000Z 21300101000000Z not-yet-valid.pem $by_ca
issue receiver other 20000101000000Z 21300101000000Z wrong-host.pem $by_ca
issue receiver leaf 20000101000000Z 21300101000000Z unknown-ca.pem -cert "$work/stranger.pem" -keyfile "$work/stranger.key"
issue receiver leaf 20000101000000Z 21300101000000Z self-signed.pem -selfsign -keyfile server.key
